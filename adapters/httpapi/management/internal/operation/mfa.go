package operation

import "context"

// WithMFA is the header that confirms an operation.
type WithMFA struct {
	MFACode string `header:"X-MFA-Code" doc:"The authenticator's current code, or a recovery code, where a second factor is required."`
}

// ConfirmIfRequired asks for the second factor before money is given back or personal data leaves, where the project requires one
// (decisions 3). Its code is spent once, however often the request's transaction is run.
func (a *API) ConfirmIfRequired(ctx context.Context, rq Request, code string) error {
	v := rq.Caller
	if !v.Project.Settings.MFARequired || *v.confirmed {
		return nil
	}
	err := a.Access.In(rq.Stores).Confirm(ctx, v.Project.Account, code)
	*v.confirmed = err == nil
	return err
}

// ConfirmAlways asks for the second factor, whatever the project's settings say. Its code is spent once, however
// often the request's transaction is run.
func (a *API) ConfirmAlways(ctx context.Context, rq Request, code string) error {
	v := rq.Caller
	if *v.confirmed {
		return nil
	}
	err := a.Access.In(rq.Stores).Confirm(ctx, v.Project.Account, code)
	*v.confirmed = err == nil
	return err
}
