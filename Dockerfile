# Heddle on Debian 12, with README's two commands:
#
#   docker build -t heddle .
#   docker run --rm heddle                                        make demo: a CUDA program on a simulated GPU
#   docker run --rm heddle make check
#   docker run --rm -v "$PWD:/work" -w /work heddle heddle-cc -O2 -o app app.cu
FROM debian:12

RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates make
WORKDIR /opt/heddle
# What is needed is installed before the sources are there, so that a change of these does not do it again.
COPY scripts scripts
RUN scripts/setup.sh
COPY . .
RUN make -j"$(nproc)" all extras
ENV PATH=/opt/heddle/build/bin:$PATH
CMD ["make", "demo"]
