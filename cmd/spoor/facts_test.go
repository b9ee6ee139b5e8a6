package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/mapfile"
)

// Every skill that facts name is one of the map, or may be one of the agent where
// skills are switched on.
func TestUnknownSkills(t *testing.T) {
	f := &mapfile.File{
		Map:   &spoor.Map{Skills: []spoor.Skill{{ID: "look"}, {ID: "repair"}}},
		Agent: mapfile.Agent{Injections: spoor.Injections{Skills: []spoor.AgentSkill{{Skill: spoor.Skill{ID: "faq"}}}}},
	}
	const text = `currentSkillId: look
pendingSkillPick: lok
pendingToolTransition: {targetSkillId: faq}
activatedInjectionIds: [faq, repair, fax]
turnRoute: {by: menu, from: x, to: y, offered: [look, z]}
`
	_, err := openFacts("-", strings.NewReader(text), f)
	const want = `the facts are wrong, for 6 reasons:
stdin:2:19: pendingSkillPick: unknown-skill: "lok" is not a skill of the map (did you mean "look"?)
stdin:3:40: pendingToolTransition.targetSkillId: unknown-skill: "faq" is not a skill of the map (write one of look, repair)
stdin:4:38: activatedInjectionIds[2]: unknown-skill: "fax" is not a skill of the map (did you mean "faq"?)
stdin:5:29: turnRoute.from: unknown-skill: "x" is not a skill of the map (write one of look, repair)
stdin:5:36: turnRoute.to: unknown-skill: "y" is not a skill of the map (write one of look, repair)
stdin:5:55: turnRoute.offered[1]: unknown-skill: "z" is not a skill of the map (write one of look, repair)`
	if err == nil {
		t.Fatal("no error")
	}
	if d := cmp.Diff(want, err.Error()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
