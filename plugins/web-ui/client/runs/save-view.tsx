// Asks under which name a view is saved, and for whom.
import { useState } from 'preact/hooks';
import { Dialog } from '../shell/dialog.js';

export interface SaveViewProps {
  readonly onSave: (name: string, shared: boolean) => void;
  readonly onClose: () => void;
}

export const SaveView = ({ onSave, onClose }: SaveViewProps) => {
  const [shared, setShared] = useState(false);
  const [name, setName] = useState('');
  return (
    <Dialog label="Save this view" onClose={onClose}>
      <h2>Save this view</h2>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          onSave(name.trim(), shared);
          onClose();
        }}
      >
        <label>
          Name
          <input
            required
            maxLength={200}
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={shared}
            onChange={({ currentTarget }) => setShared(currentTarget.checked)}
          />
          for everybody who may read the project
        </label>
        <p class="acts">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="main">
            Save
          </button>
        </p>
      </form>
    </Dialog>
  );
};
