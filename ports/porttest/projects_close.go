package porttest

// DeleteProject deletes the shop's project to the last row.
func (s *Shop) DeleteProject() {
	s.T.Helper()
	s.Must(s.Projects.Delete(s.Ctx, s.Project.Account, s.Project.ID, Noon))
	s.FinishClosing()
}

// FinishClosing makes every step of closing the shop's project.
func (s *Shop) FinishClosing() {
	s.T.Helper()
	for range 1000 {
		last, err := s.Closings.Step(s.Ctx, s.Project.ID)
		s.Must(err)
		if last {
			return
		}
	}
	s.T.Fatal("closing the project does not end")
}
