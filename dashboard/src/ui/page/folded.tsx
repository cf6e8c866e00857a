/** Parts of a screen that phones fold behind one button, so that its rows begin near the top. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { query } from '../../router.ts';
import { Button, LinkButton } from '../button.tsx';
import { Icon, type IconName } from '../icons.tsx';
import { FilterButton } from '../form/query-fields.tsx';
import { media } from '../list/viewport.ts';
import { Menu } from '../menu.tsx';

const isPhone = media('(width < 720px)');
/** Also a desktop at a zoom of 200 %, where filters would take half of the height. */
const isSmall = media('(width < 720px), (height < 560px)');

/**
 * The filters above a list; `search` stays beside the button. `names`: the parameters of the URL that are counted on the
 * button.
 */
export function FilterBar({
  names,
  search,
  children,
}: {
  names: readonly string[];
  search?: ComponentChildren;
  children: ComponentChildren;
}) {
  const isOpen = useSignal(false);
  const count = names.filter((name) => query.value.has(name)).length;
  return (
    <div class="filter-bar">
      {search}
      {isSmall.value && <FilterButton count={count} isOpen={isOpen} />}
      {(isOpen.value || !isSmall.value) && children}
    </div>
  );
}

/** A secondary action of a screen: a link, or what `run` does. */
export interface Action {
  label: string;
  icon?: IconName;
  href?: string;
  download?: boolean;
  run?: () => void;
}

/** Buttons; on a phone, the entries of a menu. */
export function MoreActions({ actions }: { actions: readonly Action[] }) {
  if (!isPhone.value) {
    return actions.map(({ label, icon, href, run, download }) =>
      href === undefined ? (
        <Button key={label} icon={icon} onClick={run}>
          {label}
        </Button>
      ) : (
        <LinkButton key={label} icon={icon} href={href} download={download}>
          {label}
        </LinkButton>
      ),
    );
  }
  return (
    <Menu label="More" buttonClass="button icon-only" button={<Icon name="more" />}>
      {actions.map(({ label, icon, href, run, download }) => {
        const content = [icon && <Icon key="icon" name={icon} />, label];
        return href === undefined ? (
          <button key={label} type="button" onClick={run}>
            {content}
          </button>
        ) : (
          <a key={label} href={href} download={download}>
            {content}
          </a>
        );
      })}
    </Menu>
  );
}
