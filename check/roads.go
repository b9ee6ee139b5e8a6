package check

// roads are how skills are reached. Skills are numbered as in the map; a
// firm step is one that is not bare: it is taken without the model's choice.
type roads struct {
	ends    []ends // by step
	reached []bool // by skill: from the starts over firm steps
	in, out []bool // by skill: a firm step leads to it, or away from it
	bareIn  []int  // by skill: the first bare step to it; -1 if there is none
}

type ends struct {
	from, to int
	bare     bool
}

func (s *subject) findRoads() *roads {
	n := len(s.m.Skills)
	number := make(map[string]int, n)
	for i := range s.m.Skills {
		number[s.m.Skills[i].ID] = i
	}
	r := &roads{
		ends: make([]ends, len(s.m.Steps)), reached: make([]bool, n), in: make([]bool, n), out: make([]bool, n), bareIn: make([]int, n),
	}
	for i := range r.bareIn {
		r.bareIn[i] = -1
	}
	first, next := make([]int, n), make([]int, len(s.m.Steps)) // the firm steps out of a skill, from 1; 0: no more
	for i := range s.m.Steps {
		step := &s.m.Steps[i]
		e := ends{number[step.From], number[step.To], step.Bare()}
		r.ends[i] = e
		if e.bare {
			if r.bareIn[e.to] < 0 {
				r.bareIn[e.to] = i
			}
			continue
		}
		r.out[e.from], r.in[e.to] = true, true
		next[i], first[e.from] = first[e.from], i+1
	}
	var queue []int
	reach := func(skill int) {
		if !r.reached[skill] {
			r.reached[skill] = true
			queue = append(queue, skill)
		}
	}
	for i := range s.starts {
		reach(number[s.starts[i].Use])
	}
	for len(queue) > 0 {
		skill := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for step := first[skill]; step > 0; step = next[step-1] {
			reach(r.ends[step-1].to)
		}
	}
	return r
}
