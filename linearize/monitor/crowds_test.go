package monitor

import "testing"

// A CQ may have overflowed (ARM-17) only where more was accepted than it holds: what a post refuses never was there, and what is over by the time that
// a post returns may have been there beside it.
func TestCrowd(t *testing.T) {
	for name, c := range map[string]struct {
		did  func(s *requests, accepted *workRequest)
		want bool
	}{
		"as many as it holds":         {func(s *requests, _ *workRequest) { s.crowd("q").posted(2, 0) }, false},
		"one more":                    {func(s *requests, _ *workRequest) { s.crowd("q").posted(3, 0) }, true},
		"one more, refused":           {func(s *requests, _ *workRequest) { s.crowd("q").posted(2, 0); s.crowd("q").posted(1, 1) }, false},
		"one more of a list, refused": {func(s *requests, _ *workRequest) { s.crowd("q").posted(3, 1) }, false},
		"one more, not told":          {func(s *requests, _ *workRequest) { s.crowd("q").posted(2, 0); s.crowd("q").unanswered++ }, true},
		"one more, of a shared receive queue": {func(s *requests, _ *workRequest) {
			shared := &crowd{}
			s.crowd("q").isFedBy(shared)
			shared.enters()
			s.crowd("q").posted(2, 0)
		}, true},
		"one is over before the post": {func(s *requests, r *workRequest) {
			s.crowd("q").posted(2, 0)
			s.crowd("q").leaves(r)
			s.crowd("q").posted(1, 0)
		}, false},
		"one is over while the post is called": {func(s *requests, r *workRequest) {
			s.crowd("q").posted(2, 0)
			s.crowd("q").unanswered++
			s.crowd("q").leaves(r)
			s.crowd("q").outstanding++
			s.crowd("q").answered(1, 0)
		}, true},
		"one is over while a post is called that is refused": {func(s *requests, r *workRequest) {
			s.crowd("q").posted(2, 0)
			s.crowd("q").unanswered++
			s.crowd("q").leaves(r)
			s.crowd("q").leaves(&workRequest{})
			s.crowd("q").answered(1, 1)
		}, false},
	} {
		s := &requests{crowds: map[string]*crowd{}}
		s.crowd("q").depth = 2
		c.did(s, &workRequest{accepted: true})
		if got := s.mayOverflow("q"); got != c.want {
			t.Errorf("%s: may overflow: %v", name, got)
		}
	}
}

// posted counts a post of n requests.
func (c *crowd) posted(n, refused int) {
	c.unanswered += int64(n)
	for range refused {
		c.leaves(&workRequest{})
	}
	c.outstanding += int64(n - refused)
	c.answered(n, refused)
}
