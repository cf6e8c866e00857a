import { OneTimeSecret } from '../../ui/one-time-secret.tsx';

/** A webhook's secret, when it was made. */
export function SecretOnce({
  title,
  secret,
  more,
  onDone,
}: {
  title: string;
  secret: string;
  more: string;
  onDone: () => void;
}) {
  return (
    <OneTimeSecret title={title} label="Secret" text={secret} onDone={onDone}>
      <p>
        Give it to the receiver, which checks with it that what comes is from here. It is shown this once and
        kept encrypted. {more}
      </p>
    </OneTimeSecret>
  );
}
