// Panels of plugins, beside the charts of some runs.
import { additions } from './additions.js';
import { PluginElement, type Context } from './element.js';

export const PluginPanels = ({ context }: { context: Context }) => (
  <>
    {additions().panels.map((one) => (
      <details key={`${one.plugin}/${one.name}`} open>
        <summary>
          {one.title} <span class="faint">{one.plugin}</span>
        </summary>
        <PluginElement {...one} context={context} />
      </details>
    ))}
  </>
);
