package walk

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/internal/nearest"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/score"
)

// ReadSkill is the tool that the machine answers itself: it names a skill to
// read, which moves the walk if the skill is in reach.
const ReadSkill = "read_skill"

// ReadSkillSpec is read_skill as a model sees it: every skill of the graph by
// name, the same all through a turn. What is in reach now is in the menu. A
// graph that hides skills names those that can be seen.
func ReadSkillSpec(g *spoor.Graph) model.ToolSpec {
	return model.ToolSpec{
		Name:        ReadSkill,
		Description: "Read the instructions of a skill, and move to it if it is in reach.",
		Schema:      `{"type":"object","properties":{"id":{"type":"string","enum":` + enum(g.Skills()) + `}},"required":["id"]}`,
	}
}

// enum is a list of names in JSON.
func enum(names []string) string {
	list, err := json.Marshal(names)
	if err != nil {
		panic("walk: " + err.Error()) // a list of strings marshals
	}
	return string(list)
}

// readID is the skill that the arguments of read_skill name; empty if they
// name none.
func readID(args string) string {
	var a struct{ ID string }
	if json.Unmarshal([]byte(args), &a) != nil || len(a.ID) > 1<<16 { // no skill has such a name
		return ""
	}
	return a.ID
}

// The words of the machine to the model: one sentence that says what is so,
// and what can be done about it.
const (
	lastText   = "This is the last call of this turn, and no tools are offered. Answer with what you have."
	lostText   = "It is not known whether this call was carried out: the process that made it ended first. It was not repeated."
	cutText    = "The turn was stopped before this call was answered."
	budgetText = "This call was not made: the turn may make no further model call."
	noToolText = "This call was not made: the turn may call no further tools. Answer with what you have."
)

// Why a model was not asked, or did not choose.
const (
	noRoomText   = "the turn may make no model call beside that for the answer"
	noChoiceText = "the model chose none of the options"
)

func unofferedText(tool string, offered []string) string {
	text := fmt.Sprintf("There is no tool %q here, so nothing was called.", tool)
	if hint := nearest.Hint(tool, slices.Values(offered)); hint != "" {
		return text + " " + strings.ToUpper(hint[:1]) + hint[1:]
	}
	if len(offered) == 0 {
		return text + " No tools are offered."
	}
	return text + " The tools here are: " + listed(offered) + "."
}

func declinedText(reason string) string {
	if strings.TrimSpace(reason) == "" {
		return "A person declined this call, so it was not carried out."
	}
	return "A person declined this call, so it was not carried out: " + reason
}

// rejectedText says why a skill cannot be read from a place, and which can. The
// walk may have left the place by now.
func rejectedText(g *spoor.Graph, from, id string, posture spoor.Posture, allowed []string) string {
	text := fmt.Sprintf("%q is not in reach.", id)
	switch {
	case id == "":
		text = `read_skill takes {"id": the name of a skill}.`
	case posture == spoor.PostureRails:
		text = fmt.Sprintf("The map moves by itself; reading does not move to %q.", id)
	case posture == spoor.PostureGuard:
		text = fmt.Sprintf("read_skill moves only to what an open menu offers, and the first choice closes the menu: %q is not offered.", id)
	case g.Map().Tree != nil && g.Skill(id) != nil:
		text = fmt.Sprintf("A tree decides by itself which skill is active; reading does not move to %q.", id)
	}
	place := ""
	if from != "" {
		place = fmt.Sprintf(" from %q", from)
	}
	if len(allowed) == 0 {
		return fmt.Sprintf("%s No skill can be read%s; go on without.", text, place)
	}
	return fmt.Sprintf("%s These can be read%s: %s.", text, place, listed(allowed))
}

func refusedEffectText(tool string, e *spoor.Effect, why string) string {
	what := "something"
	switch e.Kind {
	case spoor.ProposeTransition:
		what = "a move"
	case spoor.RequireInstruction:
		what = "an instruction"
	}
	return fmt.Sprintf("%s asked for %s, which was refused: %s.", tool, what, why)
}

func supersededText(tool, target string, first Proposal) string {
	return fmt.Sprintf("%s proposed to move to %q, which was not followed: %s proposed %q before it.", tool, target, first.Tool, first.Skill)
}

func droppedText(p Proposal, m spoor.Move) string {
	return fmt.Sprintf("%s proposed to move to %q, which was not followed: the walk went to %q, %s.", p.Tool, p.Skill, m.To, since(m.By))
}

func conflictText(c *spoor.Conflict) string {
	var lost []string
	for _, l := range c.Losers {
		lost = append(lost, fmt.Sprintf("%s to %q", l.Tool, l.Target))
	}
	return fmt.Sprintf("Results led to different places. Followed: %s to %q. Not followed: %s.", c.Winner.Tool, c.Winner.Target, listed(lost))
}

// since says what decided a move, to a model that wanted another one.
func since(by spoor.Cause) string {
	switch by {
	case spoor.ByRoute:
		return "where a step of the map led"
	case spoor.ByProposal:
		return "which a tool proposed"
	case spoor.ByPick:
		return "which read_skill chose"
	}
	return "where a rule of the start led"
}

// listed names up to twenty.
func listed(names []string) string {
	const most = 20
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// readText answers a read_skill that was accepted, after the move: with the
// body of the skill, if that is how it is delivered, or with where it is.
// Again says that it was read before, in the same batch.
func readText(skill *spoor.Skill, target spoor.Target, move spoor.Move, again bool) string {
	delivered := skill.Body != "" && (skill.Delivery == spoor.DeliverBoth ||
		skill.Delivery == spoor.DeliverResult && target == spoor.OpenSkill)
	where := "its instructions are in the prompt"
	if skill.Body == "" {
		where = "it has no instructions of its own"
	}
	switch {
	case target == spoor.Hop && skill.ID != move.To:
		return fmt.Sprintf("The walk did not go to %q: it went to %q, %s.", skill.ID, move.To, since(move.By))
	case target == spoor.Self && skill.ID != move.To:
		return fmt.Sprintf("The walk left %q for %q, %s.", skill.ID, move.To, since(move.By))
	case target == spoor.Self:
		return fmt.Sprintf("You are in %q; %s.", skill.ID, where)
	case again:
		return fmt.Sprintf("%q was just read.", skill.ID)
	case delivered:
		return skill.Body
	case target == spoor.OpenSkill:
		return fmt.Sprintf("%q is open now; %s.", skill.ID, where)
	}
	return fmt.Sprintf("You are in %q now; %s.", skill.ID, where)
}

// menuText says what read_skill may name now and what it may not, with the
// words of the map.
func (m *Machine) menuText(s *State, g *spoor.Graph) string {
	var b strings.Builder
	named := map[string]bool{s.Cursor: true}
	list := func(title string, ids []string, more func(id string) string) {
		if len(ids) == 0 {
			return
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(title)
		for _, id := range ids {
			named[id] = true
			b.WriteString("\n- " + id)
			if more != nil {
				b.WriteString(more(id))
			}
			if d := m.about(g, id); d != "" {
				b.WriteString(": " + d)
			}
		}
	}
	posture := s.Started.Posture
	if s.MenuOpen {
		title := "It is not clear where this message belongs. Choose one of these with read_skill, or go on without:"
		if s.Routed.Stay {
			title = fmt.Sprintf("It is not clear where this message belongs. Choose one of these with read_skill, or stay in %q by going on:", s.Cursor)
		}
		list(title, others(s.Routed.Offered, s.Cursor), s.share)
	}
	reach := g.Reachable(s.Cursor)
	if s.MenuOpen {
		reach = slices.DeleteFunc(reach, func(id string) bool { return named[id] })
	}
	if posture == "" || posture == spoor.PostureAssist || posture == spoor.PostureGuard && !s.MenuOpen && s.menu(g, false, s.Cursor) != nil {
		title := "You can move to these skills with read_skill:"
		if b.Len() > 0 {
			title = "You can also move to these:"
		}
		list(title, reach, nil)
	}
	list("You can read these at any time with read_skill:", m.openFrom(g, s.Cursor), nil)
	var shut []string
	if g.Map().Tree == nil {
		shut = slices.DeleteFunc(g.Skills(), func(id string) bool { return named[id] })
	}
	if len(shut) > 0 {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString("These cannot be read from here: " + listed(shut) + ".")
	}
	return b.String()
}

// others are the skills of a menu but for the one where the walk stands, to
// which one does not move but stays.
func others(offered []string, place string) []string {
	return slices.DeleteFunc(slices.Clone(offered), func(id string) bool { return id == place })
}

// share is how well a skill of the menu fits, if one of them does.
func (s *State) share(id string) string {
	if s.Routed.Scores == nil || s.Routed.Scores.Kind == score.Unmatched {
		return ""
	}
	for _, r := range s.Routed.Scores.Ranked {
		if r.ID == id {
			return fmt.Sprintf(" (%.0f %%)", 100*r.Relevance)
		}
	}
	return ""
}

// classifyText asks which of the candidates a message is about.
func classifyText(q *score.Query) string {
	var b strings.Builder
	ids := idsOf(q)
	fmt.Fprintf(&b, "Say which of these the message of the person is about, by calling choose once with its id; %s if it is about none of them.\n", ids[len(ids)-1])
	for _, c := range q.Candidates {
		fmt.Fprintf(&b, "\n- %s: %s", c.ID, c.Text)
		if len(c.Examples) > 0 {
			fmt.Fprintf(&b, " (such as: %s)", strings.Join(c.Examples, "; "))
		}
	}
	return b.String()
}

// decideText asks which skill of a menu a message belongs to, and lists the
// options.
func (m *Machine) decideText(g *spoor.Graph, t *spoor.TurnRoute, incumbent string) (options []string, text string) {
	var b strings.Builder
	none := noneOption(t.Offered)
	b.WriteString("Say which of these skills should take the message of the person, by calling choose once with its id; " + none + " if none of them fits.\n")
	options = others(t.Offered, incumbent)
	for _, id := range options {
		fmt.Fprintf(&b, "\n- %s", id)
		if about := m.about(g, id); about != "" {
			b.WriteString(": " + about)
		}
	}
	options = append(options, none)
	if t.Stay {
		stay := stayOption(t.Offered)
		options = append(options, stay)
		fmt.Fprintf(&b, "\n- %s: the conversation stays in %s", stay, incumbent)
		if about := m.about(g, incumbent); about != "" {
			b.WriteString(" (" + about + ")")
		}
	}
	return options, b.String()
}

// about is what a skill is for: its description, or else its first intent.
func (m *Machine) about(g *spoor.Graph, id string) string {
	if s := g.Skill(id); s != nil && s.Description != "" {
		return s.Description
	}
	return m.intent[id]
}
