import { useSignal } from '@preact/signals';
import { fetchSession, startTotp } from '../../api/session.ts';
import type { NewTotp, Totp } from '../../api/client/wire.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { ActionButton, Button } from '../../ui/button.tsx';
import { ListCard } from '../../ui/list/resource-list.tsx';
import { NewRecoveryCodes } from './new-recovery-codes.tsx';
import { RecoveryCodes, SetUpTotp, TurnOffTotp } from './set-up-totp.tsx';

type Step =
  | { is: 'setting up'; totp: NewTotp }
  | { is: 'on now'; codes: string[] }
  | { is: 'renewing codes' }
  | { is: 'turning off' };

/** A second factor after the password, on or off. */
export function TotpCard() {
  const session = useResource('totp', (signal) => fetchSession(signal));
  const step = useSignal<Step | undefined>(undefined);
  const isOn = session.data.value?.totp.is_on === true;
  const close = (): void => void (step.value = undefined);
  async function start(): Promise<void> {
    try {
      step.value = { is: 'setting up', totp: (await startTotp()).totp };
    } catch (thrown) {
      session.reload();
      throw thrown;
    }
  }
  return (
    <>
      <ListCard
        title="Two-factor sign-in"
        aside={session.data.value && <span class={isOn ? 'badge ok' : 'badge'}>{isOn ? 'On' : 'Off'}</span>}
        resource={session}
      >
        {({ totp }) => (
          <div class="body fields">
            {totp.is_on ? <IsOn totp={totp} /> : <p>{WHY}</p>}
            <div class="actions">
              {totp.is_on ? (
                <>
                  <Button onClick={() => (step.value = { is: 'renewing codes' })}>New recovery codes</Button>
                  <Button kind="danger" onClick={() => (step.value = { is: 'turning off' })}>
                    Turn off
                  </Button>
                </>
              ) : (
                <ActionButton kind="primary" failure="Could not start" onAct={start}>
                  Set up
                </ActionButton>
              )}
            </div>
          </div>
        )}
      </ListCard>
      {step.value?.is === 'setting up' && (
        <SetUpTotp
          totp={step.value.totp}
          onOn={(codes) => {
            step.value = { is: 'on now', codes };
            session.reload();
          }}
          onClose={close}
        />
      )}
      {step.value?.is === 'on now' && <RecoveryCodes codes={step.value.codes} onDone={close} />}
      {step.value?.is === 'renewing codes' && <NewRecoveryCodes onRenewed={session.reload} onClose={close} />}
      {step.value?.is === 'turning off' && <TurnOffTotp onOff={session.reload} onClose={close} />}
    </>
  );
}

const WHY =
  'With two-factor sign-in, you enter a code of an authenticator app after your password. A stolen password is then not enough to sign in.';

const FEW_CODES = 3;

function IsOn({ totp: { recovery_codes_left: left } }: { totp: Totp }) {
  return (
    <>
      <p>Signing in needs your password and a code of your authenticator app.</p>
      <p class={left <= FEW_CODES ? '' : 'muted'}>
        {left} of 10 recovery codes are left.{left <= FEW_CODES && ' Get new ones before they run out.'}
      </p>
    </>
  );
}
