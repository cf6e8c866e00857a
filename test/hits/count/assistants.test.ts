/** Classes of user agents. Holds the rules of src/hits/count/assistants.ts and visitor.ts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AgentClass, isAssistant, NAMED_AGENTS } from '../../../src/hits/count/assistants.ts';
import { createVisitors } from '../../../src/hits/count/visitor.ts';

interface Recorded {
  class: AgentClass;
  agent: string;
  /** the page that documents it */
  source: string;
}

const file = join(import.meta.dirname, '..', '..', 'fixtures', 'user-agents.json');
const recorded = JSON.parse(readFileSync(file, 'utf8')) as Recorded[];
const visitors = createVisitors(Buffer.alloc(16, 1), () => '');

describe('recorded user agents', () => {
  test('are at least 60, with different texts and a source each', () => {
    expect(new Set(recorded.map(({ agent }) => agent)).size).toBe(recorded.length);
    expect(recorded.length).toBeGreaterThanOrEqual(60);
    expect(recorded.filter(({ source }) => !URL.canParse(source))).toEqual([]);
  });

  test.each(recorded)('$agent is a $class', ({ agent, class: expected }) => {
    expect(visitors.agentOf(agent).class).toBe(expected);
  });

  test.each(recorded.filter((each) => each.class === 'assistant'))('$agent is one in any case', ({ agent }) => {
    expect([agent.toLowerCase(), agent.toUpperCase()].map(isAssistant)).toEqual([true, true]);
  });
});

test('each name of the list has its class, and a recorded user agent', () => {
  for (const [name, { class: expected }] of NAMED_AGENTS) {
    expect(visitors.agentOf(`Mozilla/5.0 (compatible; ${name}/1.0)`)).toMatchObject({ name, class: expected });
  }
  const names = new Set(recorded.map(({ agent }) => visitors.agentOf(agent).name));
  expect([...NAMED_AGENTS.keys()].filter((name) => !names.has(name))).toEqual([]);
});

test('a name is that of the list, whatever its case; others have none', () => {
  const nameOf = (agent: string) => visitors.agentOf(agent).name;
  expect(nameOf('gptbot/1.1')).toBe('GPTBot');
  expect(['Googlebot-Image/1.0', 'AhrefsBot/7.0', 'curl/8.7.1', 'Mozilla/5.0 Firefox/120.0'].map(nameOf)).toEqual([
    ...[undefined, undefined, undefined, undefined],
  ]);
});

test('a longer name that contains the name of an assistant is not one', () => {
  const others = ['XChatGPT-User/1.0', 'ChatGPT-Users/1.0', 'ChatGPT-User-Bot', 'my-Google-Agent', 'Google-Agents', ''];
  expect(others.filter(isAssistant)).toEqual([]);
});
