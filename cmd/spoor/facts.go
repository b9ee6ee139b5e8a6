package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/internal/nearest"
	"github.com/spoorhq/spoor/mapfile"
)

// openFacts reads the facts of one decision on a map. The name - is stdin.
func openFacts(name string, stdin io.Reader, f *mapfile.File) (spoor.Facts, error) {
	if name == "-" {
		name = "stdin"
	} else {
		file, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return spoor.Facts{}, fmt.Errorf("there is no file of facts %s; give the path of one, or - for stdin", name)
		}
		if err != nil {
			return spoor.Facts{}, unreadable(name, err)
		}
		defer file.Close()
		stdin = file
	}
	facts, err := mapfile.ReadFacts(stdin, name, func(facts spoor.Facts) spoor.Problems { return unknownSkills(f, facts) })
	var faults mapfile.Faults
	switch {
	case errors.As(err, &faults):
		err = wrong("facts", faults)
	case err != nil:
		err = unreadable(name, err)
	}
	return facts, err
}

// unknownSkills finds the skills that facts name and that the map does not have.
// Those of the agent may be activated, too.
func unknownSkills(f *mapfile.File, facts spoor.Facts) (ps spoor.Problems) {
	skills := skillIDs(f.Map)
	check := func(ref spoor.Ref, id string) {
		if id == "" || slices.Contains(skills, id) {
			return
		}
		hint := nearest.Hint(id, slices.Values(skills))
		if hint == "" && 0 < len(skills) && len(skills) <= 16 {
			hint = "write one of " + strings.Join(skills, ", ")
		}
		ps = append(ps, spoor.Problem{Level: "error", Code: "unknown-skill", Ref: ref, Message: quoteShort(id) + " is not a skill of the map", Hint: hint})
	}
	check("currentSkillId", facts.Cursor)
	check("pendingSkillPick", facts.Pick)
	check("pendingToolTransition.targetSkillId", facts.Proposal)
	if v := facts.Verdict; v != nil {
		check("turnRoute.from", v.From)
		check("turnRoute.to", v.To)
		for i, id := range v.Offered {
			check(spoor.Ref("turnRoute.offered").At(i), id)
		}
	}
	for _, s := range f.Agent.Skills {
		skills = append(skills, s.ID)
	}
	for i, id := range facts.Activated {
		check(spoor.Ref("activatedInjectionIds").At(i), id)
	}
	return ps
}

func skillIDs(m *spoor.Map) []string {
	ids := make([]string, len(m.Skills))
	for i, s := range m.Skills {
		ids[i] = s.ID
	}
	return ids
}
