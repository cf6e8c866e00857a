/**
 * The list of assistants: user agents that fetch a page because a person has asked an assistant for it. Names are those
 * that their operators document, and are not verified: any client can send them. Crawlers of the same operators, which
 * fetch on their own, are bots. Sources: test/fixtures/user-agents.json.
 */
const ASSISTANTS = [
  // Amazon
  'Amzn-User',
  // Anthropic
  'Claude-User',
  // DuckDuckGo
  'DuckAssistBot',
  // Google
  'Gemini-Deep-Research',
  'Google-Agent',
  'Google-GeminiNotebook',
  'Google-NotebookLM',
  'GoogleAgent-Mariner',
  // Manus
  'Manus-User',
  // Meta
  'meta-externalfetcher',
  // Mistral
  'MistralAI-User',
  // OpenAI
  'ChatGPT-User',
  // Perplexity
  'Perplexity-User',
] as const;

/** A whole name, so that `Google-Agent` is not part of another one. */
const NAMES = new RegExp(`(?<![\\w-])(?:${ASSISTANTS.join('|')})(?![\\w-])`, 'i');

/** The classes of user agents. Each has counts of its own. */
export const AGENT_CLASSES = ['person', 'bot', 'assistant'] as const;
export type AgentClass = (typeof AGENT_CLASSES)[number];

/** True if the text of a User-Agent header has the name of an assistant, in any case. */
export function isAssistant(userAgent: string): boolean {
  return NAMES.test(userAgent);
}
