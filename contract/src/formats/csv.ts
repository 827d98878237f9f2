// Comma-separated values (RFC 4180). A spreadsheet must not take a name for a formula: such a cell begins with an apostrophe.

export function csv(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [columns, ...rows].map((row) => row.map(cell).join(',')).join('\n');
}

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) && value !== '-' ? `'${value}` : value;
  return /[",;\t\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
