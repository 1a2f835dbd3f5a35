import type { Column } from "./format.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const valueOf = new Uint8Array(128).fill(255);
for (let i = 0; i < alphabet.length; ++i) valueOf[alphabet.charCodeAt(i)] = i;

/** Straight into bytes: atob() would first make a string as long as the data, which costs at tens of megabytes. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  let length = text.length;
  while (length > 0 && text.charCodeAt(length - 1) === 61) --length;
  const bytes = new Uint8Array((length * 3) >> 2);
  let out = 0;
  let bits = 0;
  let held = 0;
  for (let i = 0; i < length; ++i) {
    const code = text.charCodeAt(i);
    const value = code < 128 ? valueOf[code] : 255;
    if (value === 255) throw new Error(`a column of the report is damaged at its character ${i}`);
    held = (held << 6) | value;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[out++] = (held >> bits) & 255;
    }
  }
  return bytes;
}

function bytesOf(text: string, size: number): ArrayBuffer {
  const bytes = decodeBase64(text);
  if (bytes.length % size !== 0) throw new Error(`a column of the report has ${bytes.length} bytes, not a multiple of ${size}`);
  return bytes.buffer;
}

// Every browser that runs this page is on a little-endian machine, so the bytes are the array.
export function decodeFloats(column: Column | "" | undefined): Float64Array | Float32Array {
  if (!column) return new Float64Array(0);
  if (column.f64 !== undefined) return new Float64Array(bytesOf(column.f64, 8));
  if (column.f32 !== undefined) return new Float32Array(bytesOf(column.f32, 4));
  return new Float64Array(0);
}

export function decodeIndices(column: Column): Uint32Array {
  return new Uint32Array(bytesOf(column.u32 ?? "", 4));
}

/** How many numbers a column holds, without decoding it. */
export function columnLength(column: Column | "" | undefined): number {
  if (!column) return 0;
  const text = column.f64 ?? column.f32 ?? column.u32 ?? "";
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = (text.length * 3) / 4 - padding;
  return Math.floor(bytes / (column.f64 !== undefined ? 8 : 4));
}
