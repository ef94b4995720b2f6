import type { Loaded } from './load.js';

/** How the outside reaches the server, when it listens on this port. */
export const baseUrlOf = ({ values }: Loaded, port: number): string => {
  if (values.ORRERY_BASE_URL !== '') return values.ORRERY_BASE_URL;
  const host = ['0.0.0.0', '::', ''].includes(values.ORRERY_HOST)
    ? 'localhost'
    : values.ORRERY_HOST.includes(':')
      ? `[${values.ORRERY_HOST}]`
      : values.ORRERY_HOST;
  return `http://${host}:${port}`;
};
