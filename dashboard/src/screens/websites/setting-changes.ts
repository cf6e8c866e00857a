/** Settings of a website before and after a change by someone else, as texts. */
import { number } from '../../format.ts';
import { type FieldChange, valueText } from '../../ui/form/redirect-fields.ts';
import { scheduleText } from './check-schedule.tsx';
import { SETTINGS, type Settings } from './settings-fields.tsx';

/** Lines of a list that are shown; a website has up to 10,000 hosts. */
const MAX_LINES = 5;

/** The settings that differ. Of lists, the removed and the added lines. */
export function settingChanges(before: Settings, after: Settings): FieldChange[] {
  return SETTINGS.filter(({ name }) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).map((field) => {
    const [old, now] = [linesOf(field, before), linesOf(field, after)];
    return { label: String(field.label), before: textOf(without(old, now)), after: textOf(without(now, old)) };
  });
}

/** Every setting as text, for those who may not change them. */
export const settingTexts = (settings: Settings): { label: string; text: string }[] =>
  SETTINGS.map((field) => ({ label: String(field.label), text: linesOf(field, settings).join('\n') || 'None' }));

function linesOf(field: (typeof SETTINGS)[number], settings: Settings): string[] {
  if (field.name === 'check_schedule') return [scheduleText(settings.check_schedule)];
  const value = settings[field.name];
  if (Array.isArray(value)) return value.map(String);
  const option = 'options' in field && [...field.options].find(([each]) => each === value)?.[1];
  return option ? [option] : valueText(value).split('\n');
}

function without(lines: string[], others: string[]): string[] {
  const excluded = new Set(others);
  return lines.filter((line) => !excluded.has(line));
}

function textOf(lines: string[]): string {
  const more = lines.length > MAX_LINES ? `, and ${number(lines.length - MAX_LINES)} more` : '';
  return lines.slice(0, MAX_LINES).join(', ') + more;
}
