import { type Command, isOn, text } from '../command.ts';
import { counted, UsageError } from '../errors.ts';
import { listMoves, moveLine, moveOf, moveText, pathOf, shown } from '../moves/move.ts';
import { WEBSITE_OPTION, websiteOf } from '../website.ts';
import type { Decided } from './move-rows.ts';

export const moveStatus: Command = {
  summary: 'Shows a move with its progress, or lists the moves of a website.',
  words: '[MOVE]',
  options: { ...WEBSITE_OPTION, all: { help: 'Lists all moves. Default: the newest that was not applied.' } },
  async run(context) {
    const website = await websiteOf(context);
    if (isOn(context, 'all')) {
      const moves = await listMoves(context.client, website);
      return { text: moves.map(moveLine).join('\n') || `${website.name} has no move`, json: { moves } };
    }
    const move = await moveOf(context, website);
    return { text: moveText(move), json: { move } };
  },
};

interface Rule {
  pattern: string;
  target: string;
  covers: number;
  agrees: number;
  examples: string[];
}

const RULE_NUMBER = { pattern: /^(all|[1-9]\d{0,3})$/, must: 'be all, or the number of a rule in the list' };

export const moveRules: Command = {
  summary: 'Shows rules that the decisions of a move suggest, or uses one.',
  words: '[MOVE]',
  options: {
    ...WEBSITE_OPTION,
    use: { value: 'N|all', form: RULE_NUMBER, help: 'Uses this rule of the list.' },
    as: { value: 'rule|rows', choices: ['rule', 'rows'], help: 'One pattern (default), or a redirect for each row.' },
  },
  async run(context) {
    const website = await websiteOf(context);
    const { id } = await moveOf(context, website);
    const path = `${pathOf(website, id)}/rules`;
    const { rules } = await context.client.get<{ rules: Rule[] }>(path);
    const use = text(context, 'use');
    if (use === undefined) return { text: rules.map(ruleText).join('\n') || NO_RULES, json: { rules } };
    const chosen = use === 'all' ? rules : rules.slice(Number(use) - 1, Number(use));
    if (chosen.length === 0) throw new UsageError(`--use: the list has ${counted(rules.length, 'rule', 'rules')}`);
    let updated = 0;
    for (const { pattern, target } of chosen) {
      const value = { pattern, target, as: text(context, 'as') ?? 'rule' };
      updated += (await context.client.post<Decided>(`${path}/apply`, value)).updated;
    }
    return {
      text: `${counted(chosen.length, 'rule', 'rules')} decided ${counted(updated, 'row', 'rows')}`,
      json: { rules: chosen, updated },
    };
  },
};

const NO_RULES = 'no rules: at least 10 decisions are needed, and rules that lead other rows to pages';

const ruleText = ({ pattern, target, covers, agrees, examples }: Rule, index: number): string =>
  `${index + 1}. ${pattern} -> ${target}: covers ${shown(covers)}, agrees with ${shown(agrees)}; such as ${examples[0] ?? '-'}`;
