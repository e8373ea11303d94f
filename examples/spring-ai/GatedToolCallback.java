// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.definition.ToolDefinition;
import org.springframework.ai.tool.metadata.ToolMetadata;

/** A tool that runs only with leave. A refusal is its answer, so that the model reads why. */
public record GatedToolCallback(ToolverdictGate gate, String server, ToolCallback inner) implements ToolCallback {

    public static ToolCallback of(ToolverdictGate gate, String server, ToolCallback tool) {
        return tool == null || tool instanceof GatedToolCallback ? tool : new GatedToolCallback(gate, server, tool);
    }

    @Override public ToolDefinition getToolDefinition() { return inner.getToolDefinition(); }
    @Override public ToolMetadata getToolMetadata() { return inner.getToolMetadata(); }
    @Override public String call(String input) { return call(input, null); }

    @Override
    public String call(String input, ToolContext context) {
        try {
            return gate.run(server + "/" + getToolDefinition().name(), input == null || input.isBlank() ? "{}" : input,
                    claimed -> context == null ? inner.call(claimed) : inner.call(claimed, context));
        } catch (ToolverdictGate.Refused | ToolverdictGate.Failed e) {
            return e.getMessage();
        }
    }
}
