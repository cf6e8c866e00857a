/** Fields of suggested targets, for all responses that have some. */
import { z } from 'zod';

export const suggestionFields = {
  target: z.string().describe('The target.'),
  score: z.number().describe('0 to 1. That of the first is the probability that it is right.'),
  reasons: z.array(z.string()).describe('Why, in words.'),
};

export const suggestedFields = {
  suggested: z
    .enum(['redirect', 'gone', 'keep'])
    .nullable()
    .describe(
      '`redirect` to the first suggestion, `gone` without a near page, `keep` for a living one. Null: unknown.',
    ),
  confidence: z
    .enum(['sure', 'likely', 'guess'])
    .nullable()
    .describe('How probably `suggested` is right: `sure` at least 99 %, `likely` at least 95 %. Null without it.'),
};
