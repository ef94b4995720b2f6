// The query of an address. Pure.

/** Members of an address as a browser reads them; the first of each, as texts. */
export const searchOf = (query: Readonly<Record<string, unknown>>): URLSearchParams =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => {
      const first: unknown = Array.isArray(value) ? value[0] : value;
      return typeof first === 'string' ? [[name, first] as [string, string]] : [];
    }),
  );
