// Native forms and buttons that change something: what the server refuses is told beside them.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { attempt } from '../attempt.js';
import { saysFault } from '../request.js';
import { tell } from '../state.js';
import { useUnsaved } from '../unsaved.js';
import { closeDialog, Dialog, openDialog } from './dialog.js';

/** The text of a field of the form by its name; empty where there is none or it is not checked. */
export type Fields = (name: string) => string;

/** Whether a field of the form has another text than it began with. */
const isWritten = ({ elements }: HTMLFormElement): boolean =>
  [...elements].some(
    (field) =>
      (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) &&
      field.value !== field.defaultValue,
  );

/** A form that is emptied once it went through; a refusal leaves it as it is, with the sentence under it. */
export const Form = ({
  label,
  verb,
  danger = false,
  upright = false,
  onSend,
  children,
}: {
  label: string;
  verb: string;
  danger?: boolean;
  /** Whether its fields stand below each other. */
  upright?: boolean;
  onSend: (fields: Fields) => Promise<unknown>;
  children?: ComponentChildren;
}) => {
  const [fault, setFault] = useState('');
  const [busy, setBusy] = useState(false);
  const [written, setWritten] = useState(false);
  useUnsaved(written);
  const send = async (form: HTMLFormElement) => {
    const given = new FormData(form);
    setBusy(true);
    setFault('');
    try {
      await onSend((name) => {
        const value = given.get(name);
        if (typeof value !== 'string') return '';
        const field = form.elements.namedItem(name);
        // A blank at the end of a password belongs to it.
        return field instanceof HTMLInputElement && field.type === 'password'
          ? value
          : value.trim();
      });
      form.reset();
      setWritten(false);
    } catch (thrown) {
      setFault(saysFault(thrown));
    }
    setBusy(false);
  };
  return (
    <form
      class={upright ? 'fields' : 'controls'}
      aria-label={label}
      onInput={({ currentTarget }) => setWritten(isWritten(currentTarget))}
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) void send(event.currentTarget);
      }}
    >
      {children}
      <button type="submit" class={danger ? 'danger' : 'main'}>
        {verb}
      </button>
      {fault === '' ? null : (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
    </form>
  );
};

/** Asks whether it is meant, over the page and not in it: the row that asks may be drawn anew while one reads the warning. */
export const agree = ({
  verb,
  label,
  warns,
  danger,
  onAgreed,
}: {
  verb: string;
  label: string;
  warns: string | undefined;
  danger: boolean;
  /** The dialog closes once it is through; what it rejects with is told in the dialog. */
  onAgreed: () => unknown;
}): void =>
  openDialog(
    <Dialog label={label} onClose={closeDialog}>
      <h2>{label}?</h2>
      <p>{warns}</p>
      <Form
        label={label}
        verb={verb}
        danger={danger}
        onSend={async () => {
          await onAgreed();
          closeDialog();
        }}
      >
        <button type="button" onClick={closeDialog}>
          Cancel
        </button>
      </Form>
    </Dialog>,
  );

/** A button that does something; where there is a warning to give, only after one has read it and agreed. */
export const Act = ({
  verb,
  label,
  warns,
  says,
  danger = false,
  onDo,
}: {
  verb: string;
  /** What it does to what, in words that begin with `verb`. */
  label: string;
  warns?: string;
  /** What is told once it is done. */
  says: string;
  danger?: boolean;
  onDo: () => Promise<unknown>;
}) => {
  const run = async () => {
    await onDo();
    tell(says);
  };
  return (
    <button
      type="button"
      class={danger ? 'danger' : ''}
      aria-label={label}
      onClick={() =>
        warns === undefined ? attempt(run()) : agree({ verb, label, warns, danger, onAgreed: run })
      }
    >
      {verb}
    </button>
  );
};

/** A button that opens a form in a dialog, which closes once the form went through. */
export const Asks = ({
  verb,
  label,
  send,
  says,
  danger = false,
  warns,
  onSend,
  children,
}: {
  verb: string;
  /** What it does to what: the name of the button, and the title of the dialog. */
  label: string;
  /** The verb of the form; that of the button without it. */
  send?: string;
  /** What is told once it is done. */
  says?: string;
  danger?: boolean;
  warns?: string;
  onSend: (fields: Fields) => Promise<unknown>;
  children: ComponentChildren;
}) => {
  const [open, setOpen] = useState(false);
  const run = async (fields: Fields) => {
    await onSend(fields);
    setOpen(false);
    if (says !== undefined) tell(says);
  };
  return (
    <>
      <button
        type="button"
        class={danger ? 'danger' : ''}
        aria-label={label}
        onClick={() => setOpen(true)}
      >
        {verb}
      </button>
      {open ? (
        <Dialog label={label} onClose={() => setOpen(false)}>
          <h2>{label}</h2>
          {warns === undefined ? null : <p>{warns}</p>}
          <Form label={label} verb={send ?? verb} danger={danger} upright onSend={run}>
            {children}
            <button type="button" onClick={() => setOpen(false)}>
              Cancel
            </button>
          </Form>
        </Dialog>
      ) : null}
    </>
  );
};
