// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Command tap runs a stdio server and writes down everything that it is sent. What is sent is on
// disk before the server sees it, so that whoever has the server's answer finds it there.
//
// Usage: tap FILE COMMAND [ARGS…]
package main

import (
	"errors"
	"io"
	"log"
	"os"
	"os/exec"
)

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: tap FILE COMMAND [ARGS…]")
	}
	code, err := run(os.Args[1], os.Args[2:])
	if err != nil {
		log.Fatalf("tap: %v", err)
	}
	os.Exit(code)
}

// run returns the server's exit code. Several servers, one after another or at once, share a file.
func run(path string, argv []string) (int, error) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	// The server ends when its input does.
	go func() {
		defer in.Close()
		if _, err := io.Copy(in, io.TeeReader(os.Stdin, file)); err != nil {
			log.Printf("tap: %v", err)
		}
	}()
	err = cmd.Wait()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return 0, err
	}
	return cmd.ProcessState.ExitCode(), nil
}
