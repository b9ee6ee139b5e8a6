package walk

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/internal/nearest"
	"github.com/spoorhq/spoor/model"
)

// ReadSkill is the tool that the machine answers itself: it names a skill to
// read, which moves the walk if the skill is in reach.
const ReadSkill = "read_skill"

// ReadSkillSpec is read_skill as a model sees it: every skill of the map by
// name, the same all through a turn. What is in reach now is in the menu.
func ReadSkillSpec(g *spoor.Graph) model.ToolSpec {
	skills := g.Map().Skills
	ids := make([]string, len(skills))
	for i, s := range skills {
		ids[i] = s.ID
	}
	enum, err := json.Marshal(ids)
	if err != nil {
		panic("walk: " + err.Error()) // a list of strings marshals
	}
	return model.ToolSpec{
		Name:        ReadSkill,
		Description: "Read the instructions of a skill, and move to it if it is in reach.",
		Schema:      `{"type":"object","properties":{"id":{"type":"string","enum":` + string(enum) + `}},"required":["id"]}`,
	}
}

// readID is the skill that the arguments of read_skill name; empty if they
// name none.
func readID(args string) string {
	var a struct{ ID string }
	if json.Unmarshal([]byte(args), &a) != nil {
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

func rejectedText(id string, allowed []string) string {
	text := fmt.Sprintf("%q cannot be read from here.", id)
	if id == "" {
		text = `read_skill takes {"id": the name of a skill}.`
	}
	if len(allowed) == 0 {
		return text + " No skill can be read from here; answer with what you have."
	}
	return text + " These can: " + listed(allowed) + "."
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
func readText(skill *spoor.Skill, target spoor.Target, move spoor.Move) string {
	delivered := skill.Body != "" && (skill.Delivery == spoor.DeliverBoth ||
		skill.Delivery == spoor.DeliverResult && target == spoor.OpenSkill)
	where := "its instructions are in the prompt"
	if skill.Body == "" {
		where = "it has no instructions of its own"
	}
	switch {
	case target == spoor.Hop && skill.ID != move.To:
		return fmt.Sprintf("The walk did not go to %q: it went to %q (%s).", skill.ID, move.To, move.By)
	case target == spoor.Self && skill.ID != move.To:
		return fmt.Sprintf("The walk left %q for %q (%s).", skill.ID, move.To, move.By)
	case target == spoor.Self:
		return fmt.Sprintf("You are in %q; %s.", skill.ID, where)
	case delivered:
		return skill.Body
	case target == spoor.OpenSkill:
		return fmt.Sprintf("%q is open now; %s.", skill.ID, where)
	}
	return fmt.Sprintf("You are in %q now; %s.", skill.ID, where)
}

// menuText says what read_skill may name, with the words of the map.
func menuText(g *spoor.Graph, hops, open []string) string {
	var b strings.Builder
	list := func(title string, ids []string) {
		if len(ids) == 0 {
			return
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(title)
		for _, id := range ids {
			b.WriteString("\n- " + id)
			if d := g.Skill(id).Description; d != "" {
				b.WriteString(": " + d)
			}
		}
	}
	list("You can move to these skills with read_skill:", hops)
	list("You can read these at any time with read_skill:", open)
	return b.String()
}
