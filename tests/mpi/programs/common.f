C SPDX-License-Identifier: BSD-3-Clause
C Half of a matrix in a COMMON block, eight rows of sixteen, into that of the other process.
      program common
      implicit none
      include 'mpif.h'
      integer rows, columns, messages
      parameter (rows = 512, columns = 1024, messages = 40)
      double precision matrix(rows, columns), expected
      common /fields/ matrix
      integer rank, error, halves, message, row, column, wrong
      integer status(MPI_STATUS_SIZE)
      call MPI_Init(error)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
      call MPI_Type_vector(rows * columns / 16, 8, 16,
     &    MPI_DOUBLE_PRECISION, halves, error)
      call MPI_Type_commit(halves, error)
      wrong = 0
      do message = 1, messages
        do column = 1, columns
          do row = 1, rows
            matrix(row, column) = -1
            if (rank .eq. 0) matrix(row, column) =
     &          message * 1d7 + column * 1d3 + row
          end do
        end do
        if (rank .eq. 0) then
          call MPI_Send(matrix, 1, halves, 1, 0, MPI_COMM_WORLD, error)
        else if (rank .eq. 1) then
          call MPI_Recv(matrix, 1, halves, 0, 0, MPI_COMM_WORLD,
     &        status, error)
          do column = 1, columns
            do row = 1, rows
              expected = -1
              if (mod(row - 1, 16) .lt. 8)
     &            expected = message * 1d7 + column * 1d3 + row
              if (matrix(row, column) .ne. expected) wrong = wrong + 1
            end do
          end do
        end if
      end do
      call MPI_Type_free(halves, error)
      call MPI_Finalize(error)
      if (wrong .ne. 0) then
        print *, wrong, ' elements are wrong'
        stop 1
      end if
      end
