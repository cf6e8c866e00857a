/** Kinds of agents: the edge agent, a server that `detour sync` configures, or the edge library. */
export const AGENT_KINDS = ['edge', 'nginx', 'apache', 'caddy', 'library'] as const;
export type AgentKind = (typeof AGENT_KINDS)[number];
