/** Whether an address is a path of our own: what may be gone to after signing in. */
export const isOwnPath = (address: string): boolean => {
  if (!address.startsWith('/') || /[\\\p{Cc}]/u.test(address) || address.length > 8000)
    return false;
  const [ours, there] = [
    'http://own.invalid',
    URL.canParse(address, 'http://own.invalid')
      ? new URL(address, 'http://own.invalid')
      : undefined,
  ];
  return there?.origin === ours && !there.pathname.startsWith('//');
};
