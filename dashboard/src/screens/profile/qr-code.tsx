import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Modules of white around the code, which scanners need. */
const QUIET_ZONE = 4;
const MODULE_PX = 4;

/** A QR code as SVG, black on white in both colour schemes. Its library loads when it is first shown. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const rows = useSignal<boolean[][]>([]);
  useEffect(() => {
    let isCurrent = true;
    import('qr').then(
      ({ encodeQR }) => {
        if (isCurrent) rows.value = encodeQR(text, 'raw', { border: QUIET_ZONE });
      },
      // The text beside the code is enough.
      () => {},
    );
    return () => (isCurrent = false);
  }, [text]);
  const size = rows.value.length;
  return (
    <svg
      class="qr-code"
      {...(size > 0 && { style: { width: `${size * MODULE_PX}px` } })}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <path d={pathOf(rows.value)} fill="#000" />
    </svg>
  );
}

/** A square of side 1 for each dark module. */
function pathOf(rows: boolean[][]): string {
  return rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
}
