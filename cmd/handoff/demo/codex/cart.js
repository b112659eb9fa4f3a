// total is the price of the items, in whole cents, less the discount in percent.
export function total(items, percent = 0) {
  const sum = items.reduce((sum, item) => sum + item.cents * item.count, 0);
  return Math.round(sum * (100 - percent) / 100);
}
