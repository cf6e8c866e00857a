import { counted } from '../../../format.ts';
import { urlWith } from '../../../router.ts';
import { LinkButton } from '../../../ui/button.tsx';
import { PathText } from '../../../ui/text/path-text.tsx';
import { type Change, dayAfter, isoDay, mondayOf, periodAfter, startOf, weeksFrom } from './days.ts';

/** From Monday. */
const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7].map((day) =>
  new Date(2024, 0, day).toLocaleDateString(undefined, { weekday: 'short' }),
);

const RANGE = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const FIRST_OF_MONTH = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

interface CalendarProps {
  /** of the first week */
  monday: string;
  /** the open day */
  open: string | undefined;
  changes: readonly Change[];
}

/** Five weeks with the numbers of starts and ends. A day with some is a link to them. */
export function Calendar({ monday, open, changes }: CalendarProps) {
  const days = Map.groupBy(changes, ({ at }) => isoDay(new Date(at)));
  const today = isoDay(new Date());
  const title = RANGE.formatRange(startOf(monday), startOf(dayAfter(periodAfter(monday, 1), -1)));
  const step = (count: number): string => urlWith({ from: periodAfter(monday, count), day: undefined });
  return (
    <>
      <div class="row wrap">
        <h2 class="grow" aria-live="polite">
          {title}
        </h2>
        {/* What has passed is not listed. */}
        {monday > mondayOf(today) && <LinkButton href={step(-1)}>Earlier</LinkButton>}
        <LinkButton href={step(1)}>Later</LinkButton>
      </div>
      <table class="calendar" aria-label={title}>
        <thead>
          <tr>
            {WEEKDAYS.map((name) => (
              <th key={name} scope="col" class="small muted">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksFrom(monday).map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <td key={day} aria-current={day === today ? 'date' : undefined}>
                  <Day day={day} isToday={day === today} isOpen={day === open} changes={days.get(day) ?? []} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

interface DayProps {
  day: string;
  isToday: boolean;
  isOpen: boolean;
  changes: readonly Change[];
}

function Day({ day, isToday, isOpen, changes }: DayProps) {
  const date = startOf(day);
  const text = date.getDate() === 1 ? FIRST_OF_MONTH.format(date) : String(date.getDate());
  const number = isToday ? <strong>{text} Today</strong> : text;
  const [first] = changes;
  if (!first) return <span class={isToday ? '' : 'muted'}>{number}</span>;
  const live = changes.filter(({ isLive }) => isLive);
  const starts = live.filter(({ kind }) => kind === 'starts').length;
  const ends = live.length - starts;
  const undeployed = changes.length - live.length;
  return (
    <a href={urlWith({ day: isOpen ? undefined : day })} aria-current={isOpen ? 'true' : undefined}>
      {number} {starts > 0 && <span class="badge ok">{counted(starts, 'start')}</span>}
      {ends > 0 && <span class="badge warn">{counted(ends, 'end')}</span>}
      {undeployed > 0 && <span class="badge">{undeployed} not deployed</span>}
      <span class="small mono first-path">
        <PathText path={first.redirect.old_path} />
      </span>
      {changes.length > 1 && <span class="small muted">+{changes.length - 1} more</span>}
    </a>
  );
}
