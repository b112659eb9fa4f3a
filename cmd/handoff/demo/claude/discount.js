// percentOf is the discount of a code, in percent.
export function percentOf(code) {
  return { WELCOME10: 10, SUMMER15: 15 }[code] ?? 0;
}
