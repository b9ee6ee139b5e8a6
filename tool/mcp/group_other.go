//go:build !unix

package mcp

import "os/exec"

// There are no groups here: what a server starts outlives it.

func lead(*exec.Cmd)          {}
func terminate(cmd *exec.Cmd) { cmd.Process.Kill() }
func kill(cmd *exec.Cmd)      { cmd.Process.Kill() }
