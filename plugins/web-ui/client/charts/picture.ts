/** A document in SVG as a picture of pixels, twice as fine as it is drawn. */
export const pngOf = async (svg: string): Promise<Blob> => {
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.width * 2;
    canvas.height = image.height * 2;
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => {
        if (blob === null) reject(new Error('the picture could not be made'));
        else resolve(blob);
      });
    });
  } finally {
    URL.revokeObjectURL(address);
  }
};
