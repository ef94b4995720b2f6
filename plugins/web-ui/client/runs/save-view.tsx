// Asks under which name a view is saved, and for whom.
import { Dialog } from '../shell/dialog.js';
import { Form } from '../shell/form.js';

export interface SaveViewProps {
  /** Saves it; what it rejects with is told in the dialog, which keeps the name. */
  readonly onSave: (name: string, shared: boolean) => Promise<unknown>;
  readonly onClose: () => void;
}

export const SaveView = ({ onSave, onClose }: SaveViewProps) => (
  <Dialog label="Save this view" onClose={onClose}>
    <h2>Save this view</h2>
    <Form
      label="Save this view"
      verb="Save"
      upright
      onSend={async (field) => {
        await onSave(field('name'), field('shared') !== '');
        onClose();
      }}
    >
      <label>
        Name
        <input name="name" required maxLength={200} autocomplete="off" />
      </label>
      <label class="check">
        <input type="checkbox" name="shared" />
        for everybody who may read the project
      </label>
      <button type="button" onClick={onClose}>
        Cancel
      </button>
    </Form>
  </Dialog>
);
