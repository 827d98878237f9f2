// Check digits of cards, accounts and national ids. Each function gets only characters of its alphabet.

/** ISO/IEC 7812-1. */
export function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let n = 0; n < digits.length; n++) {
    const digit = digitAt(digits, digits.length - 1 - n);
    const doubled = n % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** ISO 7064 MOD 97-10 as ISO 13616 uses it: the first four characters move to the end, letters are 10 to 35. */
export function isIban(compact: string): boolean {
  let remainder = 0;
  for (let n = 0; n < compact.length; n++) {
    const code = compact.charCodeAt((n + 4) % compact.length);
    const value = code < 58 ? code - 48 : (code | 32) - 87;
    remainder = (value > 9 ? remainder * 100 + value : remainder * 10 + value) % 97;
  }
  return remainder === 1;
}

/** ISO 7064 MOD 11,10: the German tax id. */
export function isMod1110(digits: string): boolean {
  let product = 10;
  for (let n = 0; n < digits.length - 1; n++) {
    const sum = (digitAt(digits, n) + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 === digitAt(digits, digits.length - 1);
}

/** The dihedral group's check digit: Aadhaar. */
export function isVerhoeff(digits: string): boolean {
  let check = 0;
  for (let n = 0; n < digits.length; n++) {
    const row = permutations[n % 8] ?? '';
    check = digitAt(products[check] ?? '', digitAt(row, digitAt(digits, digits.length - 1 - n)));
  }
  return check === 0;
}

const products = [
  '0123456789',
  '1234067895',
  '2340178956',
  '3401289567',
  '4012395678',
  '5987604321',
  '6598710432',
  '7659821043',
  '8765932104',
  '9876543210',
];

const permutations = [
  '0123456789',
  '1576283094',
  '5803796142',
  '8916043527',
  '9453126870',
  '4286573901',
  '2793806415',
  '7046913258',
];

/** The sum of digits times weights. */
export function weighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, n) => sum + weight * digitAt(digits, n), 0);
}

export const digitAt = (digits: string, n: number): number => digits.charCodeAt(n) - 48;
