// The button by which something is deleted that does not come back.
import { deleteSoon, Going, isGoing, type Deletion } from './delete-soon.js';
import { agree } from './form.js';

/** One agrees to it where there is a warning to give, and takes it back for some seconds after. */
export const Deletes = ({
  warns,
  text,
  look = 'danger',
  ...of
}: Deletion & {
  readonly warns?: string | undefined;
  /** What the button says; the verb without it. */
  readonly text?: string;
  /** The class of the button. */
  readonly look?: 'danger' | 'quiet' | '';
}) => {
  const { verb = 'Delete', what, name, id = name, ids } = of;
  const label = ids === undefined ? `${verb} the ${what} ${name}` : `${verb} ${name}`;
  const waits = (ids ?? [id]).some((one) => isGoing(what, one));
  const begin = () => deleteSoon(of);
  return (
    <>
      <button
        type="button"
        class={look}
        aria-label={label}
        aria-disabled={waits}
        onClick={() => {
          if (waits) return;
          if (warns === undefined) begin();
          else agree({ verb, label, warns, danger: true, onAgreed: begin });
        }}
      >
        {text ?? verb}
      </button>
      {ids === undefined ? <Going what={what} id={id} /> : null}
    </>
  );
};
