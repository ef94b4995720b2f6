// Reading the claims of a provider. Pure.
type Claims = Readonly<Record<string, unknown>>;

export const textClaim = (claims: Claims, name: string): string | undefined => {
  const value = claims[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
};

/** The groups of a claim: a list, or one text with blanks or commas between them. */
export const groupsIn = (claims: Claims, name: string): readonly string[] => {
  const value = claims[name];
  if (Array.isArray(value)) return value.filter((one): one is string => typeof one === 'string');
  return typeof value === 'string' ? value.split(/[\s,]+/).filter((one) => one !== '') : [];
};
