// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"slices"
	"strings"
)

// SubjectKind says what kind of caller was authenticated.
type SubjectKind string

// Kinds of subject.
const (
	Person  SubjectKind = "person"
	Agent   SubjectKind = "agent"
	Service SubjectKind = "service"
)

// Subject is who is asking, as the host authenticated it. Nothing in it may
// come from the model. The zero value is nobody: it holds no permission.
type Subject struct {
	ID          string      `json:"id"`             // stable name of the credential's owner
	Kind        SubjectKind `json:"kind,omitempty"` // person, agent or service
	User        string      `json:"user,omitempty"` // the person on whose behalf; a person's own ID
	Agent       string      `json:"agent,omitempty"`
	Roles       []string    `json:"roles,omitempty"`
	Groups      []string    `json:"groups,omitempty"` // whom the host counts among them: approvers are named by role, group or id
	Permissions []string    `json:"permissions,omitempty"`
}

// Authenticated reports whether the host vouches for this subject.
func (s Subject) Authenticated() bool { return s.ID != "" }

// Acting names the agent that acts: the one the host named, or a subject that is
// an agent itself; "" where there is none.
func (s Subject) Acting() string {
	if s.Agent == "" && s.Kind == Agent {
		return s.ID
	}
	return s.Agent
}

// HasRole reports whether the subject holds exactly this role.
func (s Subject) HasRole(role string) bool { return role != "" && slices.Contains(s.Roles, role) }

// InGroup reports whether the subject belongs to exactly this group.
func (s Subject) InGroup(group string) bool { return group != "" && slices.Contains(s.Groups, group) }

// Has reports whether the subject holds a permission, by its exact name or by a
// pattern that ends in one star ("orders.*", "tool:files/*", "*"). An empty
// permission is held by nobody.
func (s Subject) Has(permission string) bool {
	if permission == "" {
		return false
	}
	for _, p := range s.Permissions {
		prefix, wild := strings.CutSuffix(p, "*")
		if p == permission || wild && strings.HasPrefix(permission, prefix) {
			return true
		}
	}
	return false
}

// Run is one agent run. Its facts come from the host and only ever take rights
// away.
type Run struct {
	ID       string   `json:"id,omitempty"`
	ReadOnly bool     `json:"readOnly,omitempty"` // destructive tools are neither listed nor callable
	Disabled []string `json:"disabled,omitempty"` // tools the user switched off, by full name
}
