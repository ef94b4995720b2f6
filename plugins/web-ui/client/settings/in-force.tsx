// Settings and toggles in force, and where their values come from. Secrets come masked from the server.
import { useLoaded, useStored } from '../loading.js';
import { adminServer } from '../settings-server.js';
import { Act } from '../shell/form.js';
import { Rows } from '../shell/rows.js';
import { query, setQuery } from '../state.js';

const says = (value: unknown): string =>
  value === null || value === undefined
    ? '–'
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

type Toggle = Awaited<ReturnType<typeof adminServer.toggles>>[number];

/** Switches a toggle; one that the environment fixes is refused, in the server's words. */
const Switch = ({ of, again }: { of: Toggle; again: () => void }) => (
  <Act
    verb={of.enabled ? 'Switch off' : 'Switch on'}
    label={`${of.enabled ? 'Switch off' : 'Switch on'} ${of.name}`}
    warns={
      of.restart
        ? 'This takes effect when the server starts the next time.'
        : 'This takes effect for everybody within some seconds.'
    }
    says={of.restart ? 'Saved; start the server again' : 'Saved'}
    onDo={() =>
      adminServer.changeToggle({ body: { name: of.name, enabled: !of.enabled } }).finally(again)
    }
  />
);

export const InForce = () => {
  const wanted = (query.value.get('search') ?? '').toLowerCase();
  const settings = useLoaded((signal) => adminServer.settings({}, signal), []);
  const toggles = useStored((signal) => adminServer.toggles({}, signal), []);
  const found = <T extends { readonly name: string }>(all: readonly T[] | undefined) =>
    all
      ?.filter(({ name }) => name.toLowerCase().includes(wanted))
      .sort((a, b) => a.name.localeCompare(b.name, 'en'));
  return (
    <>
      <p class="said">
        Settings are read from the environment when the server starts; what is secret is not shown.
      </p>
      <p class="controls">
        <input
          type="search"
          aria-label="Search settings"
          placeholder="search"
          defaultValue={wanted}
          onInput={({ currentTarget }) => setQuery({ search: currentTarget.value })}
        />
      </p>
      <Rows
        label="Settings in force"
        of={{ value: found(settings.value), fault: settings.fault }}
        head={['Setting', 'Value', 'Source', 'What it does']}
        empty="No setting is called that."
      >
        {(one) => (
          <tr key={one.name}>
            <td>
              <code>{one.name}</code>
            </td>
            <td class="long">
              <code>{says(one.value)}</code>
              {says(one.value) === says(one.default) ? null : (
                <span class="faint"> default {says(one.default)}</span>
              )}
            </td>
            <td>{one.source}</td>
            <td class="long">{one.effect}</td>
          </tr>
        )}
      </Rows>
      <h2>Toggles</h2>
      <Rows
        label="Toggles"
        of={{ value: found(toggles.value), fault: toggles.fault }}
        head={['Toggle', 'Is', 'Source', 'What it does', '']}
        empty="No toggle is called that."
      >
        {(one) => (
          <tr key={one.name}>
            <td>
              <code>{one.name}</code>
            </td>
            <td>{one.enabled ? 'on' : 'off'}</td>
            <td>{one.source}</td>
            <td class="long">{one.description}</td>
            <td class="does">
              <Switch of={one} again={toggles.again} />
            </td>
          </tr>
        )}
      </Rows>
    </>
  );
};
