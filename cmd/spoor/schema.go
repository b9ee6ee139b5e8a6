package main

import (
	"github.com/spf13/cobra"

	"github.com/spoorhq/spoor/mapfile"
)

func newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of a map file, for editors",
		Long: `Print the JSON Schema (draft 2020-12) of a map file. With it an editor tells what a key means,
completes keys, and marks what cannot be read. Write it beside the map, and name it in the first
line of the map:

  # yaml-language-server: $schema=spoor.schema.json

A file of cases names spoor.schema.json#/$defs/cases. What only the map as a whole can tell, such
as a skill that is not there or a condition that cannot be read, is for spoor check.`,
		Example: "  spoor schema > spoor.schema.json",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(mapfile.Schema())
			return err
		},
	}
}
