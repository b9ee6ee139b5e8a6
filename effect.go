package spoor

// An Effect is what a tool result asks of the walk, beside its content. Which
// of them are granted, the walk decides.
type Effect struct {
	Kind EffectKind `json:"kind"`

	// Of ProposeTransition: where to move, and why. Both must be given.
	Target string `json:"targetSkillId,omitempty"`
	Reason string `json:"reason,omitempty"`

	// Of RequireInstruction: which one, and for how long. Both must be given.
	Instruction string `json:"instructionId,omitempty"`
	Lease       Lease  `json:"deliveryLease,omitempty"`
}

// EffectKind says what an effect asks for.
type EffectKind string

const (
	// ProposeTransition proposes to move the walk to a skill that is in reach.
	// It counts in the next iteration and in no other.
	ProposeTransition EffectKind = "propose-transition"

	// RequireInstruction brings an instruction of the agent into the prompt,
	// whether or not its condition holds.
	RequireInstruction EffectKind = "require-instruction"
)

// A Lease says how long a required instruction stays.
type Lease string

const (
	NextCall       Lease = "next-call"        // in the next iteration only
	UntilSkillExit Lease = "until-skill-exit" // until the walk leaves the skill where the tool was called
)
