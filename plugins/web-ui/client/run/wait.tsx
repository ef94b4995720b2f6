import type { Loaded } from '../loading.js';
import { Wait as WaitFor } from '../shell/wait.js';

/** What stands in for what is on its way, or did not come. */
export const Wait = ({ of }: { of: Loaded<unknown> }) => <WaitFor fault={of.fault} />;
