package porttest

func (s *Shop) Fold() {
	s.T.Helper()
	for more := true; more; {
		var err error
		more, err = s.Analytics.Fold(s.Ctx)
		s.Must(err)
	}
}
