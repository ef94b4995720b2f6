// Settings and toggles in force, and where their values come from. Secrets come masked from the server.
import { useLoaded } from '../loading.js';
import { adminServer } from '../settings-server.js';
import { Rows } from '../shell/rows.js';
import { query, setQuery } from '../state.js';

const says = (value: unknown): string =>
  value === null || value === undefined
    ? '–'
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

export const InForce = () => {
  const wanted = (query.value.get('search') ?? '').toLowerCase();
  const settings = useLoaded((signal) => adminServer.settings({}, signal), []);
  const toggles = useLoaded((signal) => adminServer.toggles({}, signal), []);
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
        head={['Toggle', 'Is', 'Source', 'What it does']}
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
          </tr>
        )}
      </Rows>
    </>
  );
};
