package walk_test

import (
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/walk"
)

// A mutant is a machine with one fault, which breaks one law.
type mutant struct {
	name string
	law  string
	doc  string
	make func(h *host) *fault // a fault of its own for each seed
}

// A fault is what is wrong with a machine.
type fault struct {
	derived func(s *walk.State, b event.Body) event.Body            // changes what follows, before it is recorded
	step    func(s *walk.State, events []event.Event) []event.Event // changes the state, or what a step returns
}

// mutantOf finds a mutant by its name, or the first that breaks a law.
func mutantOf(name string) *mutant {
	for i := range mutants {
		if mutants[i].name == name {
			return &mutants[i]
		}
	}
	for i := range mutants {
		if mutants[i].law == name {
			return &mutants[i]
		}
	}
	return nil
}

var mutants = []mutant{}
