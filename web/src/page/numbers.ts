/** A number for reading: short, and always the same width of meaning. */
export function readable(value: number, digits = 5): string {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return exponentText(value, Math.min(digits, 4));
  if (Number.isInteger(value) && size < 1e6) return signed(String(value));
  return signed(String(Number(value.toPrecision(digits))));
}

function exponentText(value: number, digits: number): string {
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const power = `10${raised(exponent)}`;
  const lead = signed(String(Number(mantissa)));
  if (lead === "1" || lead === "−1") return lead.replace("1", power);
  return `${lead}·${power}`;
}

function signed(text: string): string {
  return text.replace("-", "−");
}

function raised(exponent: string): string {
  const marks: Record<string, string> = { "-": "⁻", "+": "" };
  const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  return [...exponent].map((sign) => marks[sign] ?? digits[Number(sign)]).join("");
}

/** 1st, 2nd, 3rd, 4th, … */
export function ordinal(count: number): string {
  const teens = count % 100 >= 11 && count % 100 <= 13;
  return `${count}${(!teens && ["th", "st", "nd", "rd"][count % 10]) || "th"}`;
}

/** 1 body, 2 bodies, … */
export function counted(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`;
}

/** Enough decimals that one sample of the run can be told from the next. */
export function timeText(time: number, span: number): string {
  const decimals = span > 0 ? Math.min(6, Math.max(2, 3 - Math.floor(Math.log10(span)))) : 2;
  return signed(time.toFixed(decimals));
}
