// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import java.util.List;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.DefaultToolCallingManager;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.model.tool.ToolCallingManager;
import org.springframework.ai.model.tool.ToolExecutionResult;
import org.springframework.ai.tool.definition.ToolDefinition;
import org.springframework.ai.tool.resolution.ToolCallbackResolver;

/** Wraps every tool that can run: those of a request, and those that the resolver finds by name. */
public final class GatedToolCallingManager implements ToolCallingManager {
    private final ToolverdictGate gate;
    private final String server;
    private final ToolCallingManager inner;

    public GatedToolCallingManager(ToolverdictGate gate, String server, ToolCallbackResolver resolver) {
        this.gate = gate;
        this.server = server;
        this.inner = DefaultToolCallingManager.builder()
                .toolCallbackResolver(name -> GatedToolCallback.of(gate, server, resolver.resolve(name))).build();
    }

    @Override
    public List<ToolDefinition> resolveToolDefinitions(ToolCallingChatOptions options) {
        return inner.resolveToolDefinitions(options);
    }

    @Override
    public ToolExecutionResult executeToolCalls(Prompt prompt, ChatResponse response) {
        if (!(prompt.getOptions() instanceof ToolCallingChatOptions options)) {
            return inner.executeToolCalls(prompt, response); // it has no tools of its own
        }
        ToolCallingChatOptions gated = options.copy();
        gated.setToolCallbacks(options.getToolCallbacks().stream().map(t -> GatedToolCallback.of(gate, server, t)).toList());
        return inner.executeToolCalls(new Prompt(prompt.getInstructions(), gated), response);
    }
}
