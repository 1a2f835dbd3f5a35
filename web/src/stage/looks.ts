// Pushed back a little: where a ghost coincides with the run that is shown, only that run is seen.
export const ghostLook = { transparent: true, opacity: 0.3, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 16 };
