package walk

import (
	"slices"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
)

// work refuses the calls that have no tool here, sends the others, and moves
// once all of them are answered and what they ask of the walk is judged.
func (m *Machine) work(s *State) (event.Body, []int) {
	var send []string
	var told []int // the answers of people that calls go on with
	waits, fresh := false, 0
	for i := range s.Batch {
		c := &s.Batch[i]
		switch {
		case c.Answered > 0 || c.read() && s.offers(c.Tool):
		case c.Lost:
			return refuse(c, spoor.Pending, event.Lost, lostText), s.because(s.Last.Resumed)
		case c.Question != nil:
		case c.Sent:
			waits = true
		case c.Answer != nil && c.Answer.Declined:
			return refuse(c, spoor.Denied, event.Declined, declinedText(c.Answer.Answer.Data)), s.because(c.ToldAt)
		case c.Answer != nil:
			send, told = append(send, c.ID), append(told, c.ToldAt)
		case !s.offers(c.Tool):
			return refuse(c, spoor.Invalid, event.Unoffered, unofferedText(c.Tool, s.Offered.Items)), s.because(s.Last.Replied)
		case s.exhausted(fresh):
			return refuse(c, spoor.Invalid, event.Budget, noToolText), s.because(s.Last.Replied)
		default:
			fresh++
			send = append(send, c.ID)
		}
	}
	switch {
	case send != nil:
		return &event.Sent{Calls: send}, append(s.because(s.Last.Replied), told...)
	case waits:
		return nil, nil
	}
	if c := s.asking(); c != nil {
		return &event.Paused{Call: c.ID}, s.because(c.AskedAt)
	}
	if body, because := m.judge(s); body != nil {
		return body, because
	}
	return m.decide(s)
}

// exhausted reports whether no further tool may be called, once so many fresh
// calls are sent.
func (s *State) exhausted(fresh int) bool {
	most := s.Started.Limits.ToolCalls
	return most > 0 && s.Spent.ToolCalls+fresh >= most || s.Spent.late(s.Time)
}

func (s *State) offers(tool string) bool { return slices.Contains(s.Offered.Items, tool) }

// end answers what is still open, and finishes the turn.
func (m *Machine) end(s *State) (event.Body, []int) {
	because := s.because(s.Last.Ended)
	for i := range s.Batch {
		c := &s.Batch[i]
		switch {
		case c.Answered > 0:
		case s.Ended != "":
			return refuse(c, spoor.Failure, event.Cut, cutText), because
		default:
			return refuse(c, spoor.Invalid, event.Budget, budgetText), because
		}
	}
	return s.finished(), because
}

// finished is the end of the turn.
func (s *State) finished() *event.Finished {
	limit := s.limit()
	f := &event.Finished{By: event.ByAnswer, Limit: limit, Limited: limit != ""}
	if s.Ended != "" {
		f.By, f.Error = s.Ended, s.Error
		return f
	}
	for _, p := range s.Reply {
		if p.Kind == model.Text {
			f.Answer = append(f.Answer, p)
		}
	}
	return f
}

// limit is the limit that cut the work short, if one did: the last call that it
// allowed offered no tools to a turn that was using them, or asked for some.
func (s *State) limit() spoor.Limit {
	switch {
	case s.Ended == event.ByStop && s.Spent.expired(s.Time):
		return spoor.LimitTime
	case s.Ended != "":
		return ""
	case s.Final != "" && (s.Spent.Answers > 1 || len(s.Batch) > 0):
		return s.Final
	case len(s.Batch) > 0 || s.Spent.Answers == 0:
		return s.Spent.over(s.Started, s.Time)
	}
	return ""
}

func refuse(c *Call, status spoor.Status, reason event.Reason, text string) event.Body {
	result := resultPart(c, text)
	result.Status = string(status)
	return &event.Refused{Call: c.ID, Tool: c.Tool, Status: status, Reason: reason, Result: result}
}

func resultPart(c *Call, text string) model.Part {
	p := model.NewPart(model.Tool, model.Result, text)
	p.Call, p.Tool = c.ID, c.Tool
	return p
}
